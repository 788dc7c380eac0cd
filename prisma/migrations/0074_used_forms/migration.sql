-- Forms that make other things than keys are remembered too.
alter table used_key_forms rename to used_forms;
alter table used_forms rename constraint used_key_forms_pkey to used_forms_pkey;
alter index used_key_forms_used_at_idx rename to used_forms_used_at_idx;
