-- What has been acted on is not being processed any more; what has been armed again since keeps its payload.
-- KEYS: timers, payloads, processing. ARGV: ids.
for _, id in ipairs(ARGV) do
  redis.call('ZREM', KEYS[3], id)
  if not redis.call('ZSCORE', KEYS[1], id) then
    redis.call('HDEL', KEYS[2], id)
  end
end
return #ARGV
