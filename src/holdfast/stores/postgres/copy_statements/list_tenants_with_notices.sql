SELECT DISTINCT tenant FROM holdfast.feed WHERE first IS NULL
