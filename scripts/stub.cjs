// Stands for what listhen can use and this program never asks of it: certificates of its own, tunnels, the
// clipboard and web sockets.
module.exports = {};
