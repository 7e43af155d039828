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
package io.github.lockspring.server;

/**
 * A request that passes a {@link FaultProxy} to a ZooKeeper server.
 *
 * @param xid the number that its reply has as well
 * @param opCode what it asks for, a constant of
 * {@link org.apache.zookeeper.ZooDefs.OpCode}
 * @param text its bytes as ISO-8859-1, which contain the path
 */
public record ZooKeeperRequest(int xid, int opCode, String text) {
}
