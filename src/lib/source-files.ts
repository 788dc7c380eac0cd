// Files that are part of the program and no modules, such as the styles of its pages.
import { readFileSync } from 'node:fs'

/** The text of a file beside the module that asks, which does so once, when it is loaded: a file that is missing stops the start. */
export const readSourceFile = (name: string, { url }: Pick<ImportMeta, 'url'>): string => readFileSync(new URL(name, url), 'utf8')
