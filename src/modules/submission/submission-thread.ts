// The thread that reads large messages that were submitted, from where they are stored, so that none of them can hold up the rest of the process.
import { workerData } from 'node:worker_threads'
import { openBlobs } from '../../io/blobs/open-blobs.ts'
import { answerQuestions, noted } from '../../io/threads/thread-questions.ts'
import { utf8 } from '../../lib/text.ts'
import type { SubmissionContent } from './submission-content.ts'
import { readSubmission, type SubmissionTask, type ThreadSettings } from './submission-reader.ts'

const settings: ThreadSettings = workerData
const { blobs } = await openBlobs(settings, { isChecked: false })

answerQuestions<SubmissionTask, SubmissionContent>(async ({ blobKey, hasFingerprint }, note) => {
  const content = await readSubmission(blobs, noted(await blobs.open(blobKey), note), { besideKey: blobKey, hasFingerprint })
  return { ...content, html: utf8(content.html), text: utf8(content.text) }
})
