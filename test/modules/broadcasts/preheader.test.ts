import { describe, expect, it } from 'vitest'
import { PREHEADER, withPreheader } from '../../../src/modules/broadcasts/written-links.ts'

describe('the preview text goes', () => {
  it.each([
    ['to the beginning', '?<p>x</p>'],
    ['to the beginning of text', '?Hello <b>x</b>'],
    ['into the body', '<!doctype html><html><head><title>T</title></head><body class="a">?x</body></html>'],
    ['behind the doctype', '<!DOCTYPE html>?<p>x</p>'],
    ['behind the doctype and the tag of the document', '<!doctype html>\n<html lang="en">\n?<p>x</p></html>'],
    [
      'behind elements of the head without its tags',
      '<!doctype html><meta charset="utf-8"><title>A <b> c</title><style>p{}</style>\n?<p>x</p>',
    ],
    ['behind the head whose body has no tag', '<html><head><title>T</title></head>\n?<p>x</p></html>'],
    ['behind a head that is not closed', '<html><head><meta charset="utf-8"><link rel="x">?<table></table></html>'],
    ['before text that follows the head', '<title>T</title>?\n x &amp; y'],
    ['into the body behind a title alone', '<title>T</title><body>?x'],
    ['behind comments', '<!-- a > b --><!doctype html><!--[if mso]><p><![endif]-->?<p>x</p>'],
    [
      'behind what a script or template holds',
      '<script>if (a<b) "<p>"</script><template><p>y</p></template><noscript><img></noscript>?<p>x',
    ],
    ['before a style that follows content', '?<p>x</p><style>p{}</style><body>'],
    ['to the end of a document without content', '<html><head><title>T</title></head>?'],
    ['nowhere but into nothing', '?'],
  ])('%s', async (_where, marked) => expect(await withPreheader(marked.replace('?', ''))).toBe(marked.replace('?', `{{{${PREHEADER}}}}`)))
})
