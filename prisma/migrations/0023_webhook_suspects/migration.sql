-- Messages that may kill their workers: there is hardly ever one, and each worker looks for them every few seconds.
create index webhook_deliveries_suspects_idx on webhook_deliveries (due_at) where leased_by is null and claims >= 3;
