-- AlterTable
ALTER TABLE "emails" ADD COLUMN     "topic_id" UUID;

-- CreateTable
CREATE TABLE "contacts" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "address_hash" TEXT NOT NULL,
    "first_name" TEXT,
    "last_name" TEXT,
    "unsubscribed" BOOLEAN NOT NULL DEFAULT false,
    "properties" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "contacts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "contact_properties" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "number" SERIAL NOT NULL,
    "key" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "fallback_value" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "contact_properties_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "segments" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "filter" JSONB,
    "filter_uses" UUID[] DEFAULT ARRAY[]::UUID[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "segments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "contact_segments" (
    "segment_id" UUID NOT NULL,
    "contact_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "contact_segments_pkey" PRIMARY KEY ("segment_id","contact_id")
);

-- CreateTable
CREATE TABLE "topics" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "default_subscription" TEXT NOT NULL,
    "visibility" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "topics_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "contact_topics" (
    "topic_id" UUID NOT NULL,
    "contact_id" UUID NOT NULL,
    "subscription" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "contact_topics_pkey" PRIMARY KEY ("topic_id","contact_id")
);

-- CreateTable
CREATE TABLE "opt_outs" (
    "team_id" UUID NOT NULL,
    "address_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "opt_outs_pkey" PRIMARY KEY ("team_id","address_hash")
);

-- CreateTable
CREATE TABLE "topic_opt_outs" (
    "team_id" UUID NOT NULL,
    "address_hash" TEXT NOT NULL,
    "topic_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "topic_opt_outs_pkey" PRIMARY KEY ("team_id","address_hash","topic_id")
);

-- CreateTable
CREATE TABLE "contact_imports" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "blob_key" UUID,
    "size" BIGINT NOT NULL,
    "encoding" TEXT NOT NULL,
    "delimiter" TEXT NOT NULL,
    "columns" JSONB NOT NULL,
    "on_conflict" TEXT NOT NULL,
    "segment_ids" UUID[] DEFAULT ARRAY[]::UUID[],
    "topics" JSONB NOT NULL DEFAULT '[]',
    "total" INTEGER NOT NULL DEFAULT 0,
    "created" INTEGER NOT NULL DEFAULT 0,
    "updated" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "contact_imports_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "contact_import_refusals" (
    "import_id" UUID NOT NULL,
    "line" INTEGER NOT NULL,
    "reason" TEXT NOT NULL,

    CONSTRAINT "contact_import_refusals_pkey" PRIMARY KEY ("import_id","line")
);

-- CreateTable
CREATE TABLE "suppressions" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "origin" TEXT NOT NULL,
    "source_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "suppressions_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "contacts_team_id_id_idx" ON "contacts"("team_id", "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "contacts_team_id_email_key" ON "contacts"("team_id", "email");

-- CreateIndex
CREATE UNIQUE INDEX "contact_properties_number_key" ON "contact_properties"("number");

-- CreateIndex
CREATE INDEX "contact_properties_team_id_id_idx" ON "contact_properties"("team_id", "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "contact_properties_team_id_key_key" ON "contact_properties"("team_id", "key");

-- CreateIndex
CREATE INDEX "segments_team_id_id_idx" ON "segments"("team_id", "id" DESC);

-- CreateIndex
CREATE INDEX "contact_segments_contact_id_segment_id_idx" ON "contact_segments"("contact_id", "segment_id");

-- CreateIndex
CREATE INDEX "topics_team_id_id_idx" ON "topics"("team_id", "id" DESC);

-- CreateIndex
CREATE INDEX "contact_topics_contact_id_topic_id_idx" ON "contact_topics"("contact_id", "topic_id");

-- CreateIndex
CREATE INDEX "topic_opt_outs_topic_id_idx" ON "topic_opt_outs"("topic_id");

-- CreateIndex
CREATE UNIQUE INDEX "contact_imports_blob_key_key" ON "contact_imports"("blob_key");

-- CreateIndex
CREATE INDEX "contact_imports_team_id_id_idx" ON "contact_imports"("team_id", "id" DESC);

-- CreateIndex
CREATE INDEX "suppressions_team_id_id_idx" ON "suppressions"("team_id", "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "suppressions_team_id_email_key" ON "suppressions"("team_id", "email");

-- CreateIndex
CREATE INDEX "contacts_team_id_address_hash_idx" ON "contacts"("team_id", "address_hash");

-- Prisma has no word for these: checks, an index of some rows, and one over an expression.

ALTER TABLE "topics" ADD CONSTRAINT "topics_default_subscription_check" CHECK ("default_subscription" IN ('opt_in', 'opt_out'));
ALTER TABLE "contact_topics" ADD CONSTRAINT "contact_topics_subscription_check" CHECK ("subscription" IN ('opt_in', 'opt_out'));

-- How many of a team have unsubscribed: few, beside all.
CREATE INDEX "contacts_unsubscribed_idx" ON "contacts"("team_id") WHERE "unsubscribed";

-- The emails that a person got. A hash, because it is asked for one address at a time and written with every email.
CREATE INDEX "recipients_address_idx" ON "recipients" USING HASH (lower("address"));
