// SPDX-License-Identifier: MIT
// server.js PORT WRONG: answers "hello" over HTTP while timers and the thread pool work
const crypto = require('crypto'), fs = require('fs'), http = require('http');
const [port, wrong] = process.argv.slice(2);
const say = (text) => fs.appendFileSync(wrong, text + '\n');

http.createServer((request, response) => {
	response.writeHead(200, { 'Content-Length': 5 });
	response.end('hello');
}).listen(Number(port), '127.0.0.1');

const want = crypto.pbkdf2Sync('word', 'salt', 500, 32, 'sha256').toString('hex');
setInterval(() => crypto.pbkdf2('word', 'salt', 500, 32, 'sha256', (error, key) => {
	if (error || key.toString('hex') !== want)
		say(`pbkdf2: ${error}`);
}), 5);
setInterval(() => fs.readFile(__filename, (error) => error && say(`readFile: ${error}`)), 7);
