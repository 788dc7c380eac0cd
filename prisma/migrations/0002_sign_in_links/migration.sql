-- CreateTable
CREATE TABLE "sign_in_links" (
    "digest" TEXT NOT NULL,
    "team_id" UUID NOT NULL,
    "api_key_id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_links_pkey" PRIMARY KEY ("digest")
);

-- CreateIndex
CREATE INDEX "sign_in_links_expires_at_idx" ON "sign_in_links"("expires_at");
