// A thread that does with the HTML of a text what the HTML says.
import type { TextAnswer, TextTask } from '../../../src/gateways/text-tasks.ts'
import { answerQuestions } from '../../../src/gateways/thread-questions.ts'

answerQuestions<TextTask, TextAnswer>(async (task, note) => {
  note()
  const html = 'html' in task ? task.html : ''
  if (html === 'dies') process.exit(3)
  while (html === 'never ends');
  // Until the text of another team was worked on.
  if (html === 'waits') await new Promise(() => {})
  return { done: `read ${html}` }
})
