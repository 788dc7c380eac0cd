-- The overview finds what needs someone's attention, however much of the rest a team has.
create index domains_attention_idx on domains (team_id, id desc) where status in ('failed', 'temporary_failure', 'partially_failed');
create index webhooks_attention_idx on webhooks (team_id, id desc) where disabled_reason is not null or failing_since is not null;
create index broadcasts_attention_idx on broadcasts (team_id, id desc) where status = 'paused' or (status_reason is not null and status <> 'canceled');
create index contact_imports_attention_idx on contact_imports (team_id, id desc) where status = 'failed';
create index automations_attention_idx on automations (team_id, held_at desc) where held_at is not null and deleted_at is null;
