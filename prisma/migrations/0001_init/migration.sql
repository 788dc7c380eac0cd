-- CreateTable
CREATE TABLE "emails" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "api_key_id" UUID NOT NULL,
    "state" TEXT NOT NULL,
    "last_event" TEXT NOT NULL,
    "message_id" TEXT NOT NULL,
    "from" TEXT NOT NULL,
    "to" TEXT[],
    "cc" TEXT[],
    "bcc" TEXT[],
    "reply_to" TEXT[],
    "subject" TEXT NOT NULL,
    "html" TEXT,
    "text" TEXT,
    "headers" JSONB NOT NULL DEFAULT '{}',
    "tags" JSONB NOT NULL DEFAULT '[]',
    "attachment_count" INTEGER NOT NULL DEFAULT 0,
    "content_bytes" INTEGER NOT NULL DEFAULT 0,
    "is_fetching" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "scheduled_at" TIMESTAMPTZ(3),
    "final_at" TIMESTAMPTZ(3),

    CONSTRAINT "emails_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "recipients" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "email_id" UUID NOT NULL,
    "address" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "bounce_token" TEXT NOT NULL,
    "attempt_count" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "recipients_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "attachments" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "email_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "filename" TEXT,
    "content_type" TEXT NOT NULL,
    "content_id" TEXT,
    "size" INTEGER NOT NULL,
    "blob_key" UUID,
    "path" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "attachments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "team_id" UUID NOT NULL,
    "operation" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "body_hash" TEXT NOT NULL,
    "response" JSONB NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("team_id","operation","key")
);

-- CreateTable
CREATE TABLE "deliveries" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "class" TEXT NOT NULL,
    "destination" TEXT NOT NULL,
    "email_id" UUID NOT NULL,
    "recipient_id" UUID NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "is_ready" BOOLEAN NOT NULL DEFAULT false,
    "leased_by" UUID,
    "claims" INTEGER NOT NULL DEFAULT 0,
    "delays" INTEGER NOT NULL DEFAULT 0,
    "attempt_id" UUID,

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "attempts" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "email_id" UUID NOT NULL,
    "recipient_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "outcome" TEXT,
    "host" TEXT,
    "tls" TEXT,
    "code" INTEGER,
    "enhanced_code" TEXT,
    "text" TEXT,
    "duration_ms" INTEGER,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "attempts_pkey" PRIMARY KEY ("id")
) PARTITION BY RANGE ("id");

-- CreateTable
CREATE TABLE "notifications" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "subject_id" UUID NOT NULL,
    "data" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "notifications_pkey" PRIMARY KEY ("id")
) PARTITION BY RANGE ("id");

-- CreateTable
CREATE TABLE "worker_leases" (
    "id" UUID NOT NULL,
    "beat" BIGINT NOT NULL,

    CONSTRAINT "worker_leases_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "request_logs" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "api_key_id" UUID,
    "method" TEXT NOT NULL,
    "endpoint" TEXT NOT NULL,
    "response_status" INTEGER NOT NULL,
    "user_agent" TEXT,
    "request_body" JSONB,
    "response_body" JSONB,
    "request_body_truncated" BOOLEAN NOT NULL DEFAULT false,
    "response_body_truncated" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "request_logs_pkey" PRIMARY KEY ("id")
) PARTITION BY RANGE ("id");

-- CreateTable
CREATE TABLE "teams" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "teams_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" UUID NOT NULL,
    "team_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "permission" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "data_keys" (
    "purpose" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "wrapped" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "data_keys_pkey" PRIMARY KEY ("purpose","version")
);

-- CreateIndex
CREATE INDEX "emails_team_id_id_idx" ON "emails"("team_id", "id" DESC);

-- CreateIndex
CREATE INDEX "recipients_email_id_idx" ON "recipients"("email_id");

-- CreateIndex
CREATE UNIQUE INDEX "attachments_blob_key_key" ON "attachments"("blob_key");

-- CreateIndex
CREATE INDEX "attachments_email_id_id_idx" ON "attachments"("email_id", "id");

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");

-- CreateIndex
CREATE INDEX "deliveries_email_id_idx" ON "deliveries"("email_id");

-- CreateIndex
CREATE INDEX "attempts_email_id_id_idx" ON "attempts"("email_id", "id");

-- CreateIndex
CREATE INDEX "notifications_subject_id_id_idx" ON "notifications"("subject_id", "id");

-- CreateIndex
CREATE INDEX "request_logs_team_id_id_idx" ON "request_logs"("team_id", "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_digest_key" ON "api_keys"("digest");

-- CreateIndex
CREATE INDEX "api_keys_team_id_id_idx" ON "api_keys"("team_id", "id" DESC);

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE RESTRICT ON UPDATE CASCADE;


-- Work that waits for its time, and work that is ready, by lane. A row is in one of them only, and in neither while it is leased.
CREATE INDEX "deliveries_waiting_idx" ON "deliveries"("due_at", "id") WHERE NOT "is_ready" AND "leased_by" IS NULL;
CREATE INDEX "deliveries_ready_idx" ON "deliveries"("class", "team_id", "destination", "id") WHERE "is_ready" AND "leased_by" IS NULL;
-- What was taken several times without an outcome: taken alone from then on.
CREATE INDEX "deliveries_suspect_idx" ON "deliveries"("due_at") WHERE "claims" >= 3 AND "leased_by" IS NULL;
-- What a dead process held.
CREATE INDEX "deliveries_leased_idx" ON "deliveries"("leased_by") WHERE "leased_by" IS NOT NULL;
-- A recipient has at most one delivery: settling twice or accepting twice cannot make two.
CREATE UNIQUE INDEX "deliveries_recipient_id_key" ON "deliveries"("recipient_id");

ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_permission_check" CHECK ("permission" IN ('full_access', 'sending_access'));
ALTER TABLE "emails" ADD CONSTRAINT "emails_state_check" CHECK ("state" IN ('scheduled', 'queued', 'canceled'));
-- Emails whose attachments are still to be fetched: few, and looked for by the job that gives up on them.
CREATE INDEX "emails_fetching_idx" ON "emails"("id") WHERE "is_fetching";
