-- Saved views that the whole team sees.
alter table saved_views add column is_shared boolean not null default false;
create index saved_views_shared_idx on saved_views (team_id, id desc) where is_shared;
