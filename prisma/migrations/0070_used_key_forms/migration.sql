-- The ids that forms have chosen for keys: a form that is sent again makes no second key, also after the first was deleted.
create table used_key_forms (
  id uuid primary key,
  team_id uuid not null,
  used_at timestamptz(3) not null
);
create index used_key_forms_used_at_idx on used_key_forms (used_at);
