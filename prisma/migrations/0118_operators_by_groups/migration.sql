-- People whom the groups of the identity provider make operators, for the session that they begin.
alter table sessions add column operator_until timestamptz(3);
alter table sign_in_links add column is_operator boolean not null default false;
