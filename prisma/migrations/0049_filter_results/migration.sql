-- What the filter of the operator said; null if there was none.
alter table received_emails add column filter jsonb;
