/*
 * Copyright 2026 the lock-spring-boot-starter authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package pages

import io.github.lockspring.DistributedLock
import kotlinx.coroutines.flow.Flow

class Item

class Receipt

interface Bank {

	suspend fun charge(id: Long): Long

}

interface Warehouse {

	fun items(id: Long): Flow<Item>

}

/**
 * The Kotlin code on pages, which ExamplesTests compares with it.
 */
abstract class Examples(private val bank: Bank, private val warehouse: Warehouse) {

	abstract fun book(amount: Long): Receipt

	@DistributedLock(name = "order", key = "#id")
	suspend fun pay(id: Long): Receipt = book(bank.charge(id))

	@DistributedLock(name = "order", key = "#id")
	fun items(id: Long): Flow<Item> = warehouse.items(id)

}
