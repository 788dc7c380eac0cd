import { Code } from '@mantine/core'
import { createElement, Fragment, type ReactElement } from 'react'
import { PAGES_OF_OPERATIONS } from '../texts/shell'

/** The API writes what is to be typed between backquotes, which people read as code, and names operations, for which people have pages. */
export const withCode = (sentence: string): ReactElement =>
  createElement(
    Fragment,
    null,
    ...withPages(sentence)
      .split('`')
      .map((part, place) => (place % 2 === 0 ? part : createElement(Code, null, part))),
  )

const withPages = (sentence: string): string =>
  PAGES_OF_OPERATIONS.reduce((said, [operation, page]) => said.replaceAll(operation, page), sentence)
