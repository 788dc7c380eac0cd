-- The trace in which an email was accepted, so that its delivery and its webhooks continue it. Null while no traces are exported.
alter table emails add column traceparent text;
