// The thread that reads large messages that were handed in, from where they are stored, so that none of them can hold up the rest of the process.
import { workerData } from 'node:worker_threads'
import { utf8 } from '../../lib/utf8.ts'
import type { SubmissionContent } from '../../mail/submission/submission-content.ts'
import { openBlobs } from '../bucket/open-blobs.ts'
import { answerQuestions, noted } from '../thread-questions.ts'
import { readSubmission } from './read-submission.ts'
import type { SubmissionTask, ThreadSettings } from './submission-reader.ts'

const settings: ThreadSettings = workerData
const { blobs } = await openBlobs(settings, { isChecked: false })

answerQuestions<SubmissionTask, SubmissionContent>(async ({ blobKey, hasFingerprint }, note) => {
  const content = await readSubmission(blobs, noted(await blobs.open(blobKey), note), { besideKey: blobKey, hasFingerprint })
  return { ...content, html: utf8(content.html), text: utf8(content.text) }
})
