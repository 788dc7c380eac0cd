// A thread that does with the HTML of a text what the HTML says.

import { answerQuestions } from '../../../src/io/threads/thread-questions.ts'
import type { TextTask } from '../../../src/mail/text-tasks.ts'
import type { TextAnswer } from '../../../src/server/texts/text-tasks.ts'

answerQuestions<TextTask, TextAnswer>(async (task, note) => {
  note()
  const html = 'html' in task ? task.html : ''
  if (html === 'dies') process.exit(3)
  while (html === 'never ends');
  // Until the text of another team was worked on.
  if (html === 'waits') await new Promise(() => {})
  return { done: `read ${html}` }
})
