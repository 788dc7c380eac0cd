import { Code } from '@mantine/core'
import { createElement, Fragment, type ReactElement } from 'react'

/** The API writes what is to be typed between backquotes. */
export const withCode = (sentence: string): ReactElement =>
  createElement(Fragment, null, ...sentence.split('`').map((part, place) => (place % 2 === 0 ? part : createElement(Code, null, part))))
