// Runs before every test file. Property tests try other values in each run, and find what no one thought of. In continuous integration they try the
// same ones, so that a change never fails for what it has not touched.
import fc from 'fast-check'

if (process.env.CI) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 })
