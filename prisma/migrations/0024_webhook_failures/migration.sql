-- Old ones are removed by their time, and those of a webhook are replayed since a time.
create index webhook_failures_failed_at_idx on webhook_failures (failed_at);
create index webhook_failures_webhook_id_failed_at_idx on webhook_failures (webhook_id, failed_at);
