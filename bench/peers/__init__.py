"""Other servers that `bench.load --peer` measures beside Plumbline."""
