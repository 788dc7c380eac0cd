-- Domains that need attention: also those that were looked for in vain, and are looked for again.
-- serves: earlier
drop index domains_attention_idx;
create index domains_attention_idx on domains (team_id, id desc)
  where status in ('failed', 'temporary_failure', 'partially_failed')
    or (status = 'pending' and checked_at is not null)
    or receiving_unproven_until is not null;
