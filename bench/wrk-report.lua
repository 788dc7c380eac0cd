-- One request again and again, each with an idempotency key of its own; the result as one line of JSON.
local method = os.getenv('BENCH_METHOD')
local body = os.getenv('BENCH_BODY')
local run = os.getenv('BENCH_RUN')
local headers = { Authorization = 'Bearer ' .. os.getenv('BENCH_TOKEN') }
if body then headers['Content-Type'] = 'application/json' end
local count = 0

request = function()
  count = count + 1
  if method == 'POST' then headers['Idempotency-Key'] = run .. count end
  return wrk.format(method, nil, headers, body)
end

done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format('{"answered":%d,"durationUs":%d,"failed":%d,"p50Us":%d,"p99Us":%d}\n', summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout, latency:percentile(50), latency:percentile(99)))
end
