// What the sources say to people: answers, errors, help, pages and the log.
import { readdir, readFile } from 'node:fs/promises'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { STILTED } from './stilted-words.ts'

async function* sources(): AsyncGenerator<ts.SourceFile> {
  for (const path of await readdir('src', { recursive: true })) {
    if (!path.endsWith('.ts') || path.startsWith('generated/')) continue
    yield ts.createSourceFile(`src/${path}`, await readFile(`src/${path}`, 'utf8'), ts.ScriptTarget.Latest)
  }
}

/** The texts of more than one word, also the parts of those that hold expressions. */
function* texts(node: ts.Node): Generator<string> {
  const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)
  if (isText && /\S\s+\S/.test(node.text)) yield node.text
  const children: ts.Node[] = []
  ts.forEachChild(node, (child) => void children.push(child))
  for (const child of children) yield* texts(child)
}

it('what the sources say to people is plain English', async () => {
  let found = 0
  const stilted: string[] = []
  for await (const source of sources()) {
    for (const text of texts(source)) {
      found += 1
      for (const line of text.split('\n')) if (STILTED.test(line)) stilted.push(`${source.fileName}: ${line}`)
    }
  }
  expect(found).toBeGreaterThan(2_000)
  expect(stilted).toEqual([])
})
