// Files that are part of the program and no modules, such as the styles of its pages and the phrases of other mail servers.
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'

/** The text of a file beside the module that asks, which does so once, when it is loaded: a file that is missing stops the start. */
export const readSourceFile = (name: string, { url }: Pick<ImportMeta, 'url'>): string => readFileSync(new URL(name, url), 'utf8')

/** The module of a thread beside the module that asks, which is TypeScript in the source and JavaScript in the package. `name` is without an ending. */
export const threadFile = (name: string, { url }: Pick<ImportMeta, 'url'>): URL => new URL(`${name}${extname(url)}`, url)

/** The text of a file of `resources`, the folder beside the sources, in the package too. */
export const readResource = (name: string): string => readFileSync(new URL(`../../resources/${name}`, import.meta.url), 'utf8')
