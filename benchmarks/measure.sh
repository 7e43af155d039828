#!/bin/bash
# All measurements of docs/performance.md, one after the other: measure.sh <folder for the results>
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=${1:-benchmarks/target/results}
mkdir -p "$out"
side_by_side="java -cp benchmarks/target/benchmarks.jar io.github.lockspring.benchmarks.SideBySide"

measure() { # store, workloads, repetitions, seconds, warm-up, contestants
	$side_by_side --store=$1 --workloads=$2 --repetitions=$3 --seconds=$4 $5 --contestants=$6 >> "$out/$1.md" 2>> "$out/$1.err"
}

jmh="java -cp benchmarks/target/benchmarks.jar io.github.lockspring.benchmarks.jmh.JmhMedians"
date > "$out/times"
measure redis uncontended,own-keys 3 1.5 --warm-up=3 floor,lock-starter,redisson,spring-integration-pub-sub
measure redis one-key 3 1.5 --warm-up=2 lock-starter,redisson,spring-integration-pub-sub
measure redis processes 3 3 --warm-up=3 lock-starter,redisson,spring-integration-spin
measure redis hand-off 3 4 --warm-up=2 blocking-pop,lock-starter,redisson
date >> "$out/times"
for store in postgresql mariadb; do
	measure $store uncontended,own-keys 3 1.5 --warm-up=3 floor,lock-starter,spring-integration,shedlock
	measure $store one-key 3 1.5 --warm-up=2 lock-starter,spring-integration,shedlock
	measure $store processes 3 3 --warm-up=3 lock-starter,spring-integration,shedlock
	measure $store hand-off 3 4 --warm-up=2 lock-starter,spring-integration
	date >> "$out/times"
done
measure mariadb fairness 3 3 --warm-up=3 lock-starter
measure postgresql-notify-off fairness 3 3 --warm-up=3 lock-starter
measure zookeeper uncontended,own-keys 3 1.5 --warm-up=3 floor,lock-starter,curator-mutex
measure zookeeper one-key 3 1.5 --warm-up=2 lock-starter,curator-mutex
measure zookeeper processes 3 3 --warm-up=3 lock-starter,curator-mutex
measure zookeeper hand-off 3 4 --warm-up=2 pipelined-queue,lock-starter,curator-mutex
date >> "$out/times"
measure h2 uncontended,own-keys,one-key 3 1 --warm-up=2 floor,fair-reentrant-lock,lock-starter,spring-integration,shedlock
for store in redis zookeeper postgresql mariadb; do
	measure $store standstill 1 10 --warm-ups=0 lock-starter
done
measure mariadb standstill-1000 1 10 --warm-ups=0 lock-starter
measure redis standstill-1000 1 10 --warm-ups=0 lock-starter
measure redis held-2000 1 30 --warm-ups=0 lock-starter,redisson,spring-integration-pub-sub
measure zookeeper held-2000 1 30 --warm-ups=0 lock-starter,curator-mutex
for store in postgresql mariadb; do
	measure $store held-2000 1 30 --warm-ups=0 lock-starter,spring-integration,shedlock
done
date >> "$out/times"
for workload in uncontended one-key; do
	measure redis $workload 3 1.5 --warm-up=2 floor-increment,lock-starter-increment,redisson-increment,lock-starter-permit,redisson-permit,lock-starter-read,redisson-read
	measure zookeeper $workload 3 1.5 --warm-up=2 floor-increment,lock-starter-increment,curator-increment,lock-starter-permit,curator-permit,lock-starter-read,curator-read
	measure postgresql $workload 3 1.5 --warm-up=2 floor-increment,lock-starter-increment,lock-starter-permit,lock-starter-read
done
measure redis processes,processes-16 3 3 --warm-up=3 lock-starter-permit,redisson-permit
for contestant in lock-starter-latch redisson-latch; do
	measure redis hand-off 1 16 --warm-up=1 $contestant
done
for contestant in lock-starter-latch curator-latch; do
	measure zookeeper hand-off 1 16 --warm-up=1 $contestant
done
measure postgresql hand-off 1 16 --warm-up=1 lock-starter-latch
measure redis uncontended,alternate,processes,hand-off 3 3 --warm-up=3 floor,lock-starter,lock-starter-retain
date >> "$out/times"
$jmh 'AnnotationBenchmark.(plainProxy|oursByNumber|oursByText|oursByProperty|oursByConcatenation|cacheable|cacheableByConcatenation|lock4j|shedLock)$|CycleBenchmark|ReentryBenchmark' -f 1 -wi 3 -w 1 -i 3 -r 1 > "$out/jmh.md" 2> "$out/jmh.err"
for store in redis h2; do
	measure $store start-up 2 15 --warm-ups=1 lock-starter
	measure $store threads-at-rest 1 10 --warm-ups=0 lock-starter
done
date >> "$out/times"
for store in redis zookeeper postgresql mariadb h2; do
	printf '\n## %s\n\n' $store
	awk -f benchmarks/tables.awk "$out/$store.md"
done > "$out/tables.md"
