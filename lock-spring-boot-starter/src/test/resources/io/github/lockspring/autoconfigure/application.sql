CREATE TABLE distributed_lock (made_by_the_application INT);
