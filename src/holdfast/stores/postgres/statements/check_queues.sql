-- Whether anyone has ever set a queue.
SELECT 1 FROM holdfast.queue LIMIT 1
