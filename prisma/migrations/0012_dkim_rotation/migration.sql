-- While keys are rotated, a domain has several DKIM records.
alter table domain_records add column selector text not null default '';
update domain_records r set selector = coalesce((
  select k.selector from dkim_keys k
  where k.domain_id = r.domain_id and k.retired_at is null
    and k.algorithm = case r.kind when 'DKIM' then 'rsa-sha256' else 'ed25519-sha256' end
  order by k.id desc limit 1
), '') where r.kind in ('DKIM', 'DKIMEd25519');
alter table domain_records drop constraint domain_records_pkey, add primary key (domain_id, kind, selector);
create index dkim_keys_retired_idx on dkim_keys (retired_at) where retired_at is not null;
