// Biome lints. This is for the one thing that it cannot tell: patterns whose time grows faster than the text that they read.
import parser from '@typescript-eslint/parser'
import redos from 'eslint-plugin-redos'
import regexp from 'eslint-plugin-regexp'

export default [
  {
    files: ['src/**/*.{ts,js}', 'posthaste.js'],
    ignores: ['src/generated/**'],
    languageOptions: { parser },
    plugins: { redos, regexp },
    rules: {
      // Knows constants that a pattern is made of, and looks around.
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignorePartial: false, ignoreSticky: false }],
      // Knows where a search may begin. Only the exact analysis: fuzzing would report different patterns on each machine.
      'redos/no-vulnerable': ['error', { checker: 'automaton', timeout: 60_000 }],
    },
  },
]
