-- CreateTable
CREATE TABLE "scheduled_jobs" (
    "task" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "scheduled_jobs_pkey" PRIMARY KEY ("task")
);
