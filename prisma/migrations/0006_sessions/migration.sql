-- CreateTable
CREATE TABLE "sessions" (
    "digest" TEXT NOT NULL,
    "team_id" UUID NOT NULL,
    "api_key_id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("digest")
);

-- CreateIndex
CREATE INDEX "sessions_api_key_id_expires_at_idx" ON "sessions"("api_key_id", "expires_at");

-- CreateIndex
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_api_key_id_fkey" FOREIGN KEY ("api_key_id") REFERENCES "api_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;
