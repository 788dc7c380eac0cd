// The thread that works on long texts, so that no text of one team can hold up the rest of the process.
import { doTextTask, type TextAnswer, type TextTask } from './text-tasks.ts'
import { answerQuestions } from './thread-questions.ts'

answerQuestions<TextTask, TextAnswer>(async (task, note) => {
  note()
  return doTextTask(task)
})
