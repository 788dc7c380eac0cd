import { expect, it } from 'vitest'
import { mentionsRemoteImages } from '../../../src/mail/html/contained-html.ts'

it.each([
  ['<img src="https://a.example/x.png">', true],
  ['<IMG SRC=http://a.example/x.png>', true],
  ['<img alt="" src = "//a.example/x.png">', true],
  ['<img src="https&colon;&#47;/a.example/x.png">', true],
  ['<img title=">" src="\n https://a.example/x.png">', true],
  ['<img srcset="data:, 1x, https://a.example/x.png 2x">', true],
  ['<input type="image" src="https://a.example/x.png">', true],
  ['<td background="https://a.example/x.png">', true],
  ['<video poster="https://a.example/x.png"></video>', true],
  ['<p style="background: url( \'https://a.example/x.png\')">', true],
  ['<style>p { background: url(//a.example/x.png) }</style>', true],
  ['<svg><image href="https://a.example/x.png"/></svg>', true],
  ['<img src="cid:logo">', false],
  ['<img src="data:image/png;base64,AA//">', false],
  ['<img alt="src=https://a.example/x.png">', false],
  ['<!-- <img src="https://a.example/x.png"> -->', false],
  ['<p>https://a.example/x.png url(https://a.example/x.png)</p>', false],
  ['<a href="https://a.example/">A link</a>', false],
  ['<script src="https://a.example/x.js"></script>', false],
])('says of %s: %s', (html, wanted) => {
  expect(mentionsRemoteImages(html)).toBe(wanted)
})
