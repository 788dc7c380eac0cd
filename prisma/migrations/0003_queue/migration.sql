-- CreateTable
CREATE TABLE "queue_pauses" (
    "id" UUID NOT NULL,
    "class" TEXT,
    "team_id" UUID,
    "destination" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "queue_pauses_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "destination_paces" (
    "key" TEXT NOT NULL,
    "pace" JSONB NOT NULL,
    "updated_by" UUID NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "destination_paces_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "destination_paces_updated_at_idx" ON "destination_paces"("updated_at");

-- A queue table lives by being emptied: its dead rows are cleared early and at five times the usual pace, and updates find room on their own page.
ALTER TABLE "deliveries" SET (
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_limit = 1000,
    autovacuum_analyze_scale_factor = 0.05
);
