-- AlterTable
-- Contacts that are there already may have any pair.
ALTER TABLE "contacts" ADD COLUMN     "letter_pairs" BIGINT NOT NULL DEFAULT -1;
