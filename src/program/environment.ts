// Loads .env from the working directory before anything reads a variable: both programs import this first. Variables
// that are already set take precedence.
import { existsSync } from 'node:fs'

if (existsSync('.env')) process.loadEnvFile('.env')
