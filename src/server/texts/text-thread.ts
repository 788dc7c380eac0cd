// The thread that works on long texts, so that no text of one team can hold up the rest of the process.

import { answerQuestions } from '../../io/threads/thread-questions.ts'
import type { TextTask } from '../../mail/text-tasks.ts'
import { doTextTask, type TextAnswer } from './text-tasks.ts'

answerQuestions<TextTask, TextAnswer>(async (task, note) => {
  note()
  return doTextTask(task)
})
