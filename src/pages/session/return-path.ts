// The page that someone asked for who has to sign in first. It comes back from their browser, so anyone can have written it.
import type { FastifyRequest } from 'fastify'
import { CONSOLE, OPERATION } from '../shell/sections.ts'

export const SIGN_IN = `${CONSOLE}/sign-in`
/** A long search; such a form is taken with a key beside it. */
const PATH_LENGTH_MAX = 1_000
/** Stands for our own origin, whatever its name. */
const HERE = 'http://here.invalid'

/** Where a request is redirected that needs a session. */
export function signInAddress({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): string {
  const path = method === 'GET' ? returnPath(url) : null
  return path === null || path === CONSOLE || path === `${CONSOLE}/` ? SIGN_IN : `${SIGN_IN}?next=${encodeURIComponent(path)}`
}

/** A path of the console, as a browser would read it; null for everything else: other origins, other paths, and signing in itself. */
export function returnPath(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > PATH_LENGTH_MAX || !text.startsWith('/')) return null
  const url = URL.parse(text, HERE)
  if (url?.origin !== HERE || !lies(url.pathname, CONSOLE) || lies(url.pathname, SIGN_IN)) return null
  const path = `${url.pathname}${url.search}`
  // Encoding makes it longer.
  return path.length > PATH_LENGTH_MAX ? null : path
}

/** Where a team's session begins. The pages of operators are no place for it. */
export const teamReturnPath = (text: unknown): string => {
  const path = returnPath(text)
  return path === null || isOfOperators(path) ? CONSOLE : path
}

export const operatorReturnPath = (text: unknown): string => {
  const path = returnPath(text)
  return path !== null && isOfOperators(path) ? path : OPERATION
}

export const isOfOperators = (path: string): boolean => lies(path.split('?', 1)[0] ?? '', OPERATION)

const lies = (path: string, within: string): boolean => path === within || path.startsWith(`${within}/`)
