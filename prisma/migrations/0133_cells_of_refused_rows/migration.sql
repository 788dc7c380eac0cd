-- What refused rows of imports said is cleared with the contact that they tell of: found without those that say nothing.
create index contact_import_refusals_cells_idx on contact_import_refusals (import_id) where cells is not null;
