-- CreateTable
CREATE TABLE "sweep_clock" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,
    "waits_until" TIMESTAMPTZ(3),

    CONSTRAINT "sweep_clock_pkey" PRIMARY KEY ("id")
);
-- There is one clock.
ALTER TABLE "sweep_clock" ADD CONSTRAINT "sweep_clock_id_check" CHECK ("id" = 1);
