// Checks the words of the sources, their comments and the documents.
import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { BRITISH, LEANING, STILTED } from './stilted-words.ts'

const filesOf = (folder: string, extension: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => extension.test(path) && !path.startsWith('generated/'))
    .map((path) => `${folder}/${path}`)

/** The texts of more than one word, also the parts of those that hold expressions. */
function* texts(node: ts.Node): Generator<string> {
  const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)
  if (isText && /\S\s+\S/.test(node.text)) yield node.text
  const children: ts.Node[] = []
  ts.forEachChild(node, (child) => void children.push(child))
  for (const child of children) yield* texts(child)
}

/** The titles of tests and of their groups. */
function* titles(node: ts.Node): Generator<string> {
  if (ts.isCallExpression(node) && /^(?:it|describe)\b/.test(node.expression.getText())) {
    const [title] = node.arguments
    if (title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) yield title.getText()
  }
  const children: ts.Node[] = []
  ts.forEachChild(node, (child) => void children.push(child))
  for (const child of children) yield* titles(child)
}

/** The comments that have lines of their own, each as one line. */
const commentsIn = (source: string): string[] =>
  [...source.matchAll(/(?:^[ \t]*(?:\/\/|\/?\*).*\n?)+/gm)].map(([comment]) =>
    comment.replace(/^[ \t]*(?:\/\/\/?|\/\*\*?|\*\/?) ?/gm, '').replaceAll('\n', ' '),
  )

/** Paragraphs of a document outside of code, each as one line. */
const paragraphsOf = (document: string): string[] =>
  document
    .replace(/^```[\s\S]*?^```/gm, '')
    .split(/\n(?=\s*\n|[-|#])/)
    .map((paragraph) => paragraph.replaceAll('\n', ' '))

const leaning = (path: string, comments: string[]): string[] =>
  comments.filter((comment) => LEANING.test(comment.trim())).map((comment) => `${path}: ${comment}`)

const stilted = (path: string, lines: string[]): string[] =>
  lines.filter((line) => STILTED.test(line) || BRITISH.test(line)).map((line) => `${path}: ${line}`)

describe('plain English is', () => {
  it('what the sources say to people: answers, errors, help, pages and the log', () => {
    let found = 0
    const refused = [...filesOf('src', /\.ts$/), ...filesOf('console/src', /(?<!schema\.d)\.tsx?$/)].flatMap((path) => {
      const said = [...texts(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest))]
      found += said.length
      return stilted(
        path,
        said.flatMap((text) => text.split('\n')),
      )
    })
    expect(found).toBeGreaterThan(2_000)
    expect(refused).toEqual([])
  })

  it('what comments say', () => {
    let found = 0
    const refused = ['src', 'console/src', 'test', 'bench', 'prisma/models'].flatMap((folder) =>
      filesOf(folder, /(?<!schema\.d)\.(?:tsx?|js|css|prisma)$/).flatMap((path) => {
        const comments = commentsIn(readFileSync(path, 'utf8'))
        found += comments.length
        return [...stilted(path, comments), ...leaning(path, comments)]
      }),
    )
    expect(found).toBeGreaterThan(2_000)
    expect(refused).toEqual([])
  })

  it('what the titles of tests say', () => {
    let found = 0
    const refused = filesOf('test', /\.test\.ts$/).flatMap((path) => {
      const said = [...titles(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true))]
      found += said.length
      return stilted(path, said)
    })
    expect(found).toBeGreaterThan(4_000)
    expect(refused).toEqual([])
  })

  it('what the documents say', () => {
    const documents = [...readdirSync('.').filter((name) => name.endsWith('.md')), ...filesOf('docs', /\.md$/)]
    expect(documents.length).toBeGreaterThan(8)
    expect(documents.flatMap((path) => stilted(path, paragraphsOf(readFileSync(path, 'utf8'))))).toEqual([])
  })
})
