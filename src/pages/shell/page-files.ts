// The styles and scripts of pages: real files, which pages name by address or include.
import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { readSourceFile } from '../../lib/source-files.ts'
import { CONSOLE } from './sections.ts'

export type PageFile = {
  /** Changed content has a new address, so that browsers may keep it. */
  address: string
  kind: 'css' | 'js'
  content: string
}

const PREFIX = `${CONSOLE}/files`

export function pageFile(name: string, kind: PageFile['kind'], content: string): PageFile {
  const version = createHash('sha256').update(content).digest('hex').slice(0, VERSION_LENGTH)
  return { address: `${PREFIX}/${name}.${version}.${kind}`, kind, content }
}

const VERSION_LENGTH = 12

/** Allows exactly this style or script in a policy, if it is a part of the page. */
export const digestSource = (content: string): string => `'sha256-${createHash('sha256').update(content).digest('base64')}'`

/** Serves each file at its address, to anyone. */
export function servePageFiles(app: FastifyInstance, files: Iterable<PageFile>): void {
  for (const { address, kind, content } of files) {
    app.get(address, { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) =>
      reply.headers({ 'content-type': TYPES[kind], ...KEPT }).send(content),
    )
  }
}

/** For a year, the longest usual time. */
const KEPT = { 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' }

const TYPES: Record<PageFile['kind'], string> = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' }

/** Writes the moments of a page in the reader's own time. */
export const TIMES_SCRIPT = readSourceFile('times.js', import.meta)

/** The colors of all pages. */
export const PALETTE_STYLE = readSourceFile('palette.css', import.meta)

/** What all pages have in common: their colors, and how text, links and buttons look. */
export const COMMON_STYLE = PALETTE_STYLE + readSourceFile('elements.css', import.meta)
