// Doing what a form asks for.
import type { FastifyReply } from 'fastify'
import { type FormProblem, formProblem } from './form-problem.ts'

/** What an act returned, or why its form was refused. */
export async function attempt<T>(act: () => Promise<T>): Promise<{ done: T } | { problem: FormProblem }> {
  try {
    return { done: await act() }
  } catch (error) {
    const problem = formProblem(error)
    if (problem === null) throw error
    return { problem }
  }
}

/** Gives an answer the status of the refusal. */
export function refuse(reply: FastifyReply, { status, retryAfterSeconds }: FormProblem): FastifyReply {
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
  return reply.code(status)
}
